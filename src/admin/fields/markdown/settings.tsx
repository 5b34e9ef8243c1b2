import { useTranslations } from 'use-intl'
import { DefaultSetting } from '../default-setting.tsx'
import type { FieldSettingsProps } from '../field-props.ts'
import { BoundsSetting } from '../settings-inputs.tsx'
import { MarkdownInput } from './markdown-input.tsx'

/** Settings: the length limits of the source, and the default value. */
export function MarkdownSettingsForm({ field, ...props }: FieldSettingsProps<'MARKDOWN'>) {
  const t = useTranslations('models.settings')
  return (
    <>
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
      <DefaultSetting field={field} input={MarkdownInput} {...props} />
    </>
  )
}
