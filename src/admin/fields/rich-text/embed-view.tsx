import { type NodeViewProps, NodeViewWrapper } from '@tiptap/react'
import { useTranslations } from 'use-intl'
import { EmbedCard } from '../embed/embed-card.tsx'
import classes from './rich-text.module.css'

/** The node view of an embed. Its frame loads only on request. */
export function EmbedView({ node, editor, deleteNode, selected }: NodeViewProps) {
  const t = useTranslations('fields.richText.embed')
  return (
    <NodeViewWrapper className={classes.embed} data-selected={selected || undefined} data-drag-handle>
      <EmbedCard
        code={String(node.attrs.html)}
        name={t('title')}
        {...(editor.isEditable ? { onRemove: deleteNode } : {})}
      />
    </NodeViewWrapper>
  )
}
