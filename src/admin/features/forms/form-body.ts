import type { Form } from '#shared/contract/forms.ts'

/** The properties of a form that an update replaces. */
type Changes = Partial<
  Pick<
    Form,
    | 'name'
    | 'enabled'
    | 'fields'
    | 'origins'
    | 'thanksUrl'
    | 'thanksMessage'
    | 'retentionDays'
    | 'notification'
    | 'reply'
  >
>

/** Returns the body that updates a form. All other properties stay as in `form`. */
export function bodyWith(form: Form, changes: Changes) {
  const { name, enabled, fields, origins, thanksUrl, thanksMessage, retentionDays, notification, reply } =
    form
  return {
    data: {
      name,
      enabled,
      fields,
      origins,
      thanksUrl,
      thanksMessage,
      retentionDays,
      notification,
      reply,
      ...changes,
      version: form.version,
    },
  }
}
