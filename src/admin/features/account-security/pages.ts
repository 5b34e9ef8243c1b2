/** The pages share one chunk, because every first visit downloads a list of the chunks of all pages. */
export { ConfirmPage } from './confirm-page.tsx'
export { ForgotPasswordPage } from './forgot-password-page.tsx'
export { ResetPasswordPage } from './reset-password-page.tsx'
