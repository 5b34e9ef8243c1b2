/** The pages share one chunk: more chunks would increase the download of a first visit. */
export { AccountsPage } from './accounts-page.tsx'
export { AllSpacesPage } from './all-spaces-page.tsx'
export { MailsPage } from './mails-page.tsx'
export { InstallationSettingsPage } from './settings-page.tsx'
