import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconExternalLink, IconPlayerPlay, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { isComposing } from '#admin/lib/composing.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import classes from './embed.module.css'
import { readEmbed } from './shown-embed.ts'

/** The address of a video, a post or slides becomes its embed code; code that is pasted is taken as it is. */
export function EmbedField(props: FieldInputProps<'EMBED'>) {
  const { value, onChange, onBlur, readOnly } = props
  const t = useTranslations('fields.embed')
  const code = typeof value === 'string' && value.trimStart().startsWith('<') ? value : null
  // What is neither an address nor code is kept as it is, and refused by name.
  const [typed, setTyped] = useState(code === null && typeof value === 'string' ? value : '')
  const [problem, setProblem] = useState<string | null>(null)
  const [asking, setAsking] = useState<AbortController | null>(null)
  const box = useRef<HTMLInputElement>(null)

  async function ask(text: string) {
    const url = text.trim()
    asking?.abort()
    if (url === '' || url.startsWith('<')) return take(url)
    const controller = new AbortController()
    setAsking(controller)
    setProblem(null)
    try {
      const { embeddedCode } = await api('GET /api/embed:getEmbeddedCode', {
        query: { url, lazy: 'true' },
        signal: controller.signal,
      })
      if (!controller.signal.aborted) take(embeddedCode)
    } catch (error) {
      if (!controller.signal.aborted) setProblem(problemText(error))
    } finally {
      if (!controller.signal.aborted) setAsking(null)
    }
  }

  function take(next: string) {
    setAsking(null)
    setProblem(null)
    setTyped('')
    onChange(next === '' ? undefined : next)
    onBlur()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || isComposing(event)) return
    event.preventDefault()
    void ask(typed)
  }

  if (code !== null)
    return (
      <EmbedCard
        {...props}
        code={code}
        onRemove={() => {
          take('')
          requestAnimationFrame(() => box.current?.focus())
        }}
      />
    )
  return (
    <Stack gap={4}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          ref={box}
          {...inputAria(props)}
          flex={1}
          value={typed}
          placeholder="https://"
          autoComplete="off"
          inputMode="url"
          readOnly={readOnly}
          error={problem ?? props.issues.length > 0}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setProblem(null)
            if (event.currentTarget.value.trimStart().startsWith('<')) take(event.currentTarget.value.trim())
          }}
          onKeyDown={onKeyDown}
          onBlur={onBlur}
        />
        {!readOnly && (
          <Button
            variant="default"
            loading={asking !== null}
            disabled={typed.trim() === ''}
            onClick={() => void ask(typed)}
          >
            {t('apply')}
          </Button>
        )}
      </Group>
      {!readOnly && (
        <Text size="xs" c="dimmed">
          {t('hint')}
        </Text>
      )}
    </Stack>
  )
}

/** The address is what is wrong with it, where the answer says so. */
function problemText(error: unknown): string {
  const [issue] = error instanceof ApiError ? error.issues : []
  return issue ? issueText(issue) : errorText(error)
}

interface EmbedCardProps extends FieldInputProps<'EMBED'> {
  code: string
  onRemove: () => void
}

/** What is embedded. Its frame is loaded when somebody asks for it: other services see who looks. */
function EmbedCard({ code, onRemove, field, id, labelId, describedBy, readOnly, issues }: EmbedCardProps) {
  const t = useTranslations('fields.embed')
  const [playing, setPlaying] = useState(false)
  const { frame, link, title, ratio } = readEmbed(code)
  return (
    <Paper
      id={id}
      tabIndex={-1}
      withBorder
      p="sm"
      role="group"
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      className={classes.card ?? ''}
      data-invalid={issues.length > 0 || undefined}
    >
      <Text size="sm" fw={500} lineClamp={2}>
        {title || t('code')}
      </Text>
      {link && (
        <Text size="xs" c="dimmed" truncate>
          {link}
        </Text>
      )}
      {playing && frame && (
        <iframe
          className={classes.frame}
          style={{ aspectRatio: String(1 / ratio) }}
          title={t('previewOf', { name: field.name })}
          src={`/api/embed:preview?src=${encodeURIComponent(frame)}`}
          sandbox="allow-scripts allow-same-origin allow-popups allow-presentation"
          allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
        />
      )}
      <Group gap="xs" mt="xs">
        {frame && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerPlay size={14} />}
            aria-expanded={playing}
            onClick={() => setPlaying(!playing)}
          >
            {playing ? t('hidePreview') : t('preview')}
          </Button>
        )}
        {link && (
          <Button
            component="a"
            href={link}
            target="_blank"
            rel="noreferrer"
            size="xs"
            variant="default"
            leftSection={<IconExternalLink size={14} />}
          >
            {t('open')}
          </Button>
        )}
        {!readOnly && (
          <Button size="xs" variant="default" leftSection={<IconX size={14} />} onClick={onRemove}>
            {t('remove')}
          </Button>
        )}
      </Group>
      <details className={classes.code}>
        <summary>{t('code')}</summary>
        <pre>{code}</pre>
      </details>
    </Paper>
  )
}
