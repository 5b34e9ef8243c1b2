import { MultiSelect } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { readAccept } from '#shared/accept.ts'
import type { FieldSettingsProps } from '../field-props.ts'

const anyImage = 'image/*'
const formats = [
  { value: 'image/jpeg', label: 'JPEG' },
  { value: 'image/png', label: 'PNG' },
  { value: 'image/webp', label: 'WebP' },
  { value: 'image/avif', label: 'AVIF' },
  { value: 'image/gif', label: 'GIF' },
  { value: 'image/svg+xml', label: 'SVG' },
  { value: 'image/tiff', label: 'TIFF' },
]

/** The setting for the accepted image formats. If none is selected, all are accepted. */
export function ImageSettingsForm(props: FieldSettingsProps<'IMAGE'>) {
  const t = useTranslations('models.settings')
  const chosen = (readAccept(props.field.accept) ?? []).filter((part) => part !== anyImage)
  const others = chosen.filter((part) => !formats.some(({ value }) => value === part))
  return (
    <MultiSelect
      label={t('imageFormats')}
      placeholder={chosen.length === 0 ? t('anyImage') : ''}
      data={[...formats, ...others.map((value) => ({ value, label: value }))]}
      value={chosen}
      error={props.problem('accept')}
      readOnly={props.readOnly}
      clearable
      onChange={(parts) => props.onChange({ accept: parts.join(',') || anyImage })}
      onBlur={() => props.onBlur('accept')}
    />
  )
}
