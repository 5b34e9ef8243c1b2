import type { Form } from '#shared/contract/forms.ts'
import type { LocalizedText } from '#shared/forms/fields.ts'
import { bodyWith } from '../form-body.ts'

/** The inputs of the settings. */
export interface SettingsValues {
  name: string
  enabled: boolean
  /** One origin per line. */
  origins: string
  thanks: 'message' | 'url'
  thanksUrl: string
  thanksMessage: LocalizedText
  retention: 'none' | 'days'
  retentionDays: number | ''
}

const usualRetentionDays = 365

/** Returns the inputs for a form. */
export const valuesOf = (form: Form): SettingsValues => ({
  name: form.name,
  enabled: form.enabled,
  origins: form.origins.join('\n'),
  thanks: form.thanksUrl === null ? 'message' : 'url',
  thanksUrl: form.thanksUrl ?? '',
  thanksMessage: form.thanksMessage,
  retention: form.retentionDays === null ? 'none' : 'days',
  retentionDays: form.retentionDays ?? usualRetentionDays,
})

/** Returns the origins in the input. Empty lines are omitted. */
export const originsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Returns the body that saves the settings. All other properties stay as in `form`. */
export const bodyOf = (values: SettingsValues, form: Form) =>
  bodyWith(form, {
    name: values.name,
    enabled: values.enabled,
    origins: originsOf(values.origins),
    thanksUrl: values.thanks === 'url' ? values.thanksUrl.trim() : null,
    thanksMessage: values.thanksMessage,
    retentionDays: values.retention === 'days' ? Number(values.retentionDays) : null,
  })

/** Returns whether saving these values deletes stored submissions earlier than before. */
export const deletesEarlier = (values: SettingsValues, { retentionDays }: Form): boolean =>
  values.retention === 'days' &&
  values.retentionDays !== '' &&
  (retentionDays === null || values.retentionDays < retentionDays)
