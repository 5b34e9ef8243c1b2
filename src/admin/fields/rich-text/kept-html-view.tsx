import { Button, Group, Paper, Text } from '@mantine/core'
import { IconReplace, IconX } from '@tabler/icons-react'
import { type NodeViewProps, NodeViewWrapper } from '@tiptap/react'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ReplaceBroken } from './pictures.ts'
import classes from './rich-text.module.css'
import { shownHtml } from './shown-html.ts'

const kinds = ['video', 'audio', 'picture', 'figure', 'details', 'dl', 'table'] as const

/**
 * The view of a block that is kept unchanged. The user can remove the block and replace pictures that fail to load, but
 * cannot edit it otherwise.
 */
export function KeptHtmlView({ node, editor, extension, getPos, deleteNode, selected }: NodeViewProps) {
  const t = useTranslations('fields.richText')
  const html = String(node.attrs.html)
  const shown = useRef<HTMLDivElement>(null)
  /** URL of a picture in the block that failed to load; null if there is none. */
  const [broken, setBroken] = useState<string | null>(null)
  useLayoutEffect(() => {
    const content = shownHtml(html)
    setBroken(null)
    for (const picture of content.querySelectorAll('img'))
      picture.addEventListener('error', () => setBroken(picture.getAttribute('src')))
    shown.current?.replaceChildren(content)
  }, [html])
  const { replace } = extension.options as { replace: ReplaceBroken | null }
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
        <div ref={shown} className={`${classes.contained} ${classes.kept}`} contentEditable={false} />
        {broken !== null && replace && editor.isEditable && (
          <Button
            size="xs"
            variant="default"
            mt="xs"
            leftSection={<IconReplace size={14} aria-hidden="true" />}
            aria-haspopup="dialog"
            onClick={() => {
              const at = getPos()
              if (at !== undefined && editor.commands.setNodeSelection(at)) replace.run(broken)
            }}
          >
            {replace.label}
          </Button>
        )}
      </Paper>
    </NodeViewWrapper>
  )
}
