import { Button, Group, Paper, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type NodeViewProps, NodeViewWrapper } from '@tiptap/react'
import { useLayoutEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import classes from './rich-text.module.css'
import { shownHtml } from './shown-html.ts'

const kinds = ['video', 'audio', 'picture', 'figure', 'details', 'dl', 'table'] as const

/** A part of the text that is kept as it came: what it is, to look at, and to be taken out. */
export function KeptHtmlView({ node, editor, deleteNode, selected }: NodeViewProps) {
  const t = useTranslations('fields.richText')
  const html = String(node.attrs.html)
  const shown = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => shown.current?.replaceChildren(shownHtml(html)), [html])
  const kind = kinds.find((name) => html.startsWith(`<${name}`)) ?? 'figure'
  const name = t(`elements.${kind}`)
  const address = /^<(?:video|audio)\b[^>]*?\ssrc="([^"]*)"|<source\b[^>]*?\ssrc="([^"]*)"/.exec(html)
  return (
    <NodeViewWrapper className={classes.embed} data-selected={selected || undefined} data-drag-handle>
      <Paper withBorder p="sm" role="group" aria-label={name}>
        <Group justify="space-between" gap="xs" wrap="nowrap" mb="xs">
          <Text size="sm" fw={500} truncate>
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {(address?.[1] ?? address?.[2] ?? '').replaceAll('&amp;', '&')}
            </Text>
          </Text>
          {editor.isEditable && (
            <Button
              size="xs"
              variant="default"
              style={{ flexShrink: 0 }}
              leftSection={<IconX size={14} />}
              onClick={deleteNode}
            >
              {t('kept.remove')}
            </Button>
          )}
        </Group>
        <div ref={shown} className={classes.kept} contentEditable={false} />
      </Paper>
    </NodeViewWrapper>
  )
}
