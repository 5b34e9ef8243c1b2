import type { FieldPreviewProps } from '../field-props.ts'
import { readEmbed } from './shown-embed.ts'

/** What is embedded, in a line. */
export function EmbedPreview({ value }: FieldPreviewProps<'EMBED'>) {
  return typeof value === 'string' ? readEmbed(value).title : null
}
