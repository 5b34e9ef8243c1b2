import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const webhooksRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/webhooks',
  component: lazyPage(() => import('./webhooks-page.tsx'), 'WebhooksPage', loadEditingTexts),
})

/** `/{p}/-/webhooks/new`, with the preset, the webhook to copy, or the created webhook in the query string */
const newWebhookRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/webhooks/new',
  // The page itself validates the query, because a URL may contain anything.
  validateSearch: (search): { preset?: string; from?: string; created?: string } => search,
  component: lazyPage(() => import('./form/new-webhook-page.tsx'), 'NewWebhookPage', loadEditingTexts),
})

/** `/{p}/-/webhooks/{webhook}`, with the filters of its log in the query string */
const webhookRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/webhooks/$webhook',
  component: lazyPage(() => import('./webhook-page.tsx'), 'WebhookPage', loadEditingTexts),
})

const editWebhookRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/webhooks/$webhook/edit',
  component: lazyPage(() => import('./form/edit-webhook-page.tsx'), 'EditWebhookPage', loadEditingTexts),
})

export const webhooksRoutes = [webhooksRoute, newWebhookRoute, webhookRoute, editWebhookRoute] as const
