import type { FieldPreviewProps } from '../field-props.ts'

/** The coordinates rounded to five decimals, which is a precision of about one metre. */
export function MapPreview({ value }: FieldPreviewProps<'MAP'>) {
  if (typeof value !== 'object' || value === null) return null
  const { lat, lng } = value as Record<string, unknown>
  if (typeof lat !== 'number' || typeof lng !== 'number') return null
  return `${Number(lat.toFixed(5))}, ${Number(lng.toFixed(5))}`
}
