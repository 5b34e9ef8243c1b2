import type { FieldPreviewProps } from '../field-props.ts'
import { readEmbed } from './shown-embed.ts'

/** The title of the embedded content. */
export function EmbedPreview({ value }: FieldPreviewProps<'EMBED'>) {
  return typeof value === 'string' ? readEmbed(value).title : null
}
