import { useTranslations } from 'use-intl'
import { BoundsSetting } from '../settings-inputs.tsx'
import type { FieldSettingsProps } from '../settings-props.ts'

/** How long the source may be. */
export function MarkdownSettingsForm({ field, ...props }: FieldSettingsProps<'MARKDOWN'>) {
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
