import { useTranslations } from 'use-intl'
import { EmojiBox } from '#admin/ui/emoji-box.tsx'
import type { FieldSettingsProps } from '../field-props.ts'

/** The setting of the default emoji. */
export function EmojiSettingsForm({
  field,
  onChange,
  onBlur,
  problem,
  readOnly,
}: FieldSettingsProps<'EMOJI'>) {
  const t = useTranslations('models.settings')
  return (
    <EmojiBox
      label={t('defaultValue')}
      description={t('defaultValueHint')}
      w={undefined}
      value={field.defaultValue ?? ''}
      error={problem('defaultValue')}
      readOnly={readOnly}
      onChange={(defaultValue) => onChange({ defaultValue: defaultValue || null })}
      onBlur={() => onBlur('defaultValue')}
    />
  )
}
