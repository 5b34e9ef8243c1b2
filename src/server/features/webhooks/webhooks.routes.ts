import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { webhookEndpoints } from '#shared/contract/webhooks.ts'
import * as log from './log/log.service.ts'
import * as webhooks from './webhooks.service.ts'

export const webhookRoutes = implement(webhookEndpoints, {
  listWebhooks: async (ctx) => ({ webhooks: await webhooks.listWebhooks(ctx) }),
  getWebhook: async (ctx, { params }) => ({ webhook: await webhooks.getWebhook(ctx, params.id) }),
  createWebhook: async (ctx, { body }) => ({ webhook: await webhooks.createWebhook(ctx, body.data) }),
  updateWebhook: async (ctx, { params, body }) => ({
    webhook: await webhooks.updateWebhook(ctx, params.id, body.data),
  }),
  deleteWebhook: async (ctx, { params }) => {
    await webhooks.deleteWebhook(ctx, params.id)
    return success
  },
  refreshWebhookSecret: async (ctx, { params }) => ({
    webhook: await webhooks.refreshSecret(ctx, params.id),
  }),
  endPreviousWebhookSecret: async (ctx, { params }) => ({
    webhook: await webhooks.endPreviousSecret(ctx, params.id),
  }),
  sendWebhook: (ctx, { params }) => log.sendTest(ctx, params.id),
  previewWebhook: (ctx, { body }) => log.preview(ctx, body.data),
  listWebhookDeliveries: (ctx, { params, query }) => log.listWebhookDeliveries(ctx, params.id, query),
  getWebhookDelivery: async (ctx, { params }) => ({
    delivery: await log.getWebhookDelivery(ctx, params.id, params.d),
  }),
  redeliverWebhookDelivery: (ctx, { params }) => log.redeliverOne(ctx, params.id, params.d),
  redeliverWebhook: (ctx, { params, body }) => log.redeliver(ctx, params.id, body.data),
})
