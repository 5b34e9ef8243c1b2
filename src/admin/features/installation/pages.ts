/** The pages share one chunk, because every first visit downloads a list of the chunks of all pages. */
export { AccountsPage } from './accounts-page.tsx'
export { AllSpacesPage } from './all-spaces-page.tsx'
export { MailsPage } from './mails-page.tsx'
export { InstallationSettingsPage } from './settings-page.tsx'
