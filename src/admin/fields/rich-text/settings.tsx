import { useTranslations } from 'use-intl'
import { BoundsSetting } from '../settings-inputs.tsx'
import type { FieldSettingsProps } from '../settings-props.ts'

/** How long a rich text may be; its markup does not count. */
export function RichTextSettingsForm({ field, ...props }: FieldSettingsProps<'RICH_TEXT'>) {
  const t = useTranslations('models.settings')
  return (
    <BoundsSetting
      names={['minLength', 'maxLength']}
      labels={[t('minLength'), t('maxLength')]}
      placeholder={t('noLimit')}
      settings={field}
      onChange={props.onChange}
      onBlur={props.onBlur}
      problem={props.problem}
      readOnly={props.readOnly}
    />
  )
}
