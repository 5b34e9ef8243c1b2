import { type NodeViewProps, NodeViewWrapper } from '@tiptap/react'
import { useTranslations } from 'use-intl'
import { EmbedCard } from '../embed/embed-card.tsx'
import classes from './rich-text.module.css'

/** An embed in the text: its card. Its frame is loaded when somebody asks for it. */
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
