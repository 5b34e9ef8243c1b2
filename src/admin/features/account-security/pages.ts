/** The pages share one chunk: more chunks would increase the download of a first visit. */
export { ConfirmPage } from './confirm-page.tsx'
export { ForgotPasswordPage } from './forgot-password-page.tsx'
export { ResetPasswordPage } from './reset-password-page.tsx'
