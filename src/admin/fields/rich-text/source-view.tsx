import { Alert, Button, Code, Group, Stack, Textarea } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useDeferredValue, useLayoutEffect, useMemo, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { confirm } from '#admin/ui/confirm.tsx'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { applyHtmlPolicy, type Removal } from '../html-policy.ts'
import { caretAfter } from './caret-after.ts'
import { lossOf } from './html-loss.ts'

type SourceViewProps = FieldInputProps<'RICH_TEXT'> & { html: string; onEditor: () => void }

/**
 * The HTML itself. Says before it is saved what the server will take away, and before the editor is opened what the
 * editor cannot hold.
 */
export function SourceView({ html, onEditor, ...props }: SourceViewProps) {
  const { readOnly } = props
  const t = useTranslations('fields.richText')
  const settled = useDeferredValue(html)
  const { removed, loss } = useMemo(() => {
    const { removed, content } = applyHtmlPolicy(settled)
    const body = document.createElement('div')
    body.append(content)
    return { removed, loss: lossOf(body.innerHTML) }
  }, [settled])

  function openEditor() {
    const lost = [...removed, ...loss]
    if (lost.length === 0 || readOnly) {
      onEditor()
      return
    }
    confirm({
      title: t('openLossy.title'),
      message: (
        <>
          <p>
            {t('openLossy.text')} <RemovalList removals={lost} />
          </p>
          <p>{t('openLossy.back')}</p>
        </>
      ),
      action: t('openLossy.action'),
      run: async () => onEditor(),
    })
  }

  return (
    <Stack gap="xs">
      {removed.length > 0 && (
        <Alert color="yellow" variant="light" role="status" icon={<IconAlertTriangle size={18} />}>
          {t('removal.title')} <RemovalList removals={removed} /> {t('removal.hint')}
        </Alert>
      )}
      {removed.length === 0 && loss.length > 0 && (
        <Alert color="blue" variant="light" icon={<IconInfoCircle size={18} />}>
          {t('loss')} <RemovalList removals={loss} />
        </Alert>
      )}
      <SourceText html={html} {...props} />
      <Group>
        <Button variant="default" size="xs" onClick={openEditor}>
          {t('toEditor')}
        </Button>
      </Group>
    </Stack>
  )
}

function SourceText({ html, ...props }: FieldInputProps<'RICH_TEXT'> & { html: string }) {
  const t = useTranslations('fields.richText')
  const box = useRef<HTMLTextAreaElement>(null)
  /** The text and the caret as they were last left by the person. */
  const typed = useRef({ html, caret: html.length })

  // The answer of a save may differ from what was typed: the caret stays at its words.
  useLayoutEffect(() => {
    const { current } = box
    if (!current || html === typed.current.html) return
    const caret = caretAfter(typed.current.html, html, typed.current.caret)
    typed.current = { html, caret }
    if (document.activeElement === current) current.setSelectionRange(caret, caret)
  }, [html])

  return (
    <Textarea
      {...inputAria(props)}
      aria-label={t('sourceOf', { name: props.field.name })}
      ref={box}
      value={html}
      readOnly={props.readOnly}
      error={props.issues.length > 0}
      autosize
      minRows={8}
      maxRows={30}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      onBlur={props.onBlur}
      onSelect={({ currentTarget }) => {
        typed.current = { html: currentTarget.value, caret: currentTarget.selectionStart }
      }}
      onChange={({ currentTarget }) => {
        typed.current = { html: currentTarget.value, caret: currentTarget.selectionStart }
        props.onChange(currentTarget.value)
      }}
    />
  )
}

/** Elements that have a name people know. */
const named = [
  'iframe',
  'script',
  'style',
  'form',
  'video',
  'audio',
  'svg',
  'div',
  'figure',
  'details',
] as const

/** `<iframe>`（埋め込み）、`<p class>`: what goes, as it stands in the HTML. */
function RemovalList({ removals }: { removals: readonly Removal[] }) {
  const t = useTranslations('fields.richText')
  return removals.map(({ element, attribute, property }, index) => {
    const known = attribute === undefined ? named.find((name) => name === element) : undefined
    const inside = [element, attribute].filter((part) => part !== undefined).join(' ')
    const text = property === undefined ? `<${inside}>` : `<${element} style="${property}">`
    return (
      <span key={text}>
        {index > 0 && t('removal.separator')}
        <Code>{text}</Code>
        {known && t('removal.named', { name: t(`elements.${known}`) })}
      </span>
    )
  })
}
