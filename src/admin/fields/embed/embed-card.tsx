import { Button, Group, Paper, Text } from '@mantine/core'
import { IconExternalLink, IconPlayerPlay, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import classes from './embed.module.css'
import { readEmbed } from './shown-embed.ts'

interface EmbedCardProps {
  code: string
  name: string
  id?: string
  labelId?: string
  describedBy?: string | undefined
  invalid?: boolean
  /** Omitted if the content cannot be removed. */
  onRemove?: () => void
}

/**
 * A card for embedded content. Its frame loads only on request, because loading it reveals the user to another service.
 */
export function EmbedCard({ code, name, id, labelId, describedBy, invalid, onRemove }: EmbedCardProps) {
  const t = useTranslations('fields.embed')
  const [playing, setPlaying] = useState(false)
  const { frame, link, title, ratio } = readEmbed(code)
  return (
    <Paper
      {...(id ? { id } : {})}
      tabIndex={-1}
      withBorder
      p="sm"
      role="group"
      {...(labelId ? { 'aria-labelledby': labelId } : { 'aria-label': title || t('code') })}
      aria-describedby={describedBy}
      className={classes.card ?? ''}
      data-invalid={invalid || undefined}
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
          title={t('previewOf', { name })}
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
        {onRemove && (
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
