import type { WebhookDelivery } from '#shared/contract/webhooks.ts'

/** Returns the names of the app and the model of a request. An empty name is replaced by the uid. */
export const placeOf = ({ app, model }: Pick<WebhookDelivery, 'app' | 'model'>): string =>
  [app, model].flatMap((one) => (one ? [one.name || one.uid] : [])).join(' / ')

/** Returns the title of the content of a request, or its ID. null: several contents, or none. */
export const subjectOf = ({ title, documentId }: Pick<WebhookDelivery, 'title' | 'documentId'>) =>
  title || documentId
