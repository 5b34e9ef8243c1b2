/** The pages come together: each file more makes what a first visit downloads larger. */
export { AccountsPage } from './accounts-page.tsx'
export { MailsPage } from './mails-page.tsx'
export { InstallationSettingsPage } from './settings-page.tsx'
