import { useTranslations } from 'use-intl'
import { DefaultSetting } from '../default-setting.tsx'
import type { FieldSettingsProps } from '../field-props.ts'
import { BoundsSetting } from '../settings-inputs.tsx'
import { RichTextInput } from './rich-text-input.tsx'

/** Settings: the length limits of the text, in which markup does not count, and the default value. */
export function RichTextSettingsForm({ field, ...props }: FieldSettingsProps<'RICH_TEXT'>) {
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
      <DefaultSetting field={field} input={RichTextInput} {...props} />
    </>
  )
}
