import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'
import { readInboxSearch } from './inbox/inbox-search.ts'

/** `/{p}/-/forms`; `?trash=true` shows the forms in the trash. */
const formsRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/forms',
  validateSearch: ({ trash }: Record<string, unknown>): { trash?: 'true' } =>
    trash === 'true' ? { trash } : {},
  component: lazyPage(() => import('./forms-page.tsx'), 'FormsPage', loadEditingTexts),
})

/** `/{p}/-/forms/{form}`: the inbox, with its tab and the open submission in the query string. */
const inboxRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/forms/$form',
  validateSearch: readInboxSearch,
  component: lazyPage(() => import('./inbox/inbox-page.tsx'), 'InboxPage', loadEditingTexts),
})

const fieldsRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/forms/$form/fields',
  component: lazyPage(() => import('./fields/fields-page.tsx'), 'FieldsPage', loadEditingTexts),
})

const installRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/forms/$form/install',
  component: lazyPage(() => import('./install/install-page.tsx'), 'InstallPage', loadEditingTexts),
})

const mailRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/forms/$form/mail',
  component: lazyPage(() => import('./mail/mail-page.tsx'), 'MailPage', loadEditingTexts),
})

const settingsRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/forms/$form/settings',
  component: lazyPage(
    () => import('./settings/form-settings-page.tsx'),
    'FormSettingsPage',
    loadEditingTexts,
  ),
})

export const formsRoutes = [
  formsRoute,
  inboxRoute,
  fieldsRoute,
  installRoute,
  mailRoute,
  settingsRoute,
] as const
