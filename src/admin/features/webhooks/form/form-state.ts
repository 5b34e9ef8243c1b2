import type { useForm } from '#admin/lib/use-form.ts'
import type { Values } from './values.ts'

export type WebhookFormState = ReturnType<typeof useForm<Values>>
