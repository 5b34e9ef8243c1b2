/** The pages come together: each file more makes what a first visit downloads larger. */
export { ConfirmPage } from './confirm-page.tsx'
export { ForgotPasswordPage } from './forgot-password-page.tsx'
export { ResetPasswordPage } from './reset-password-page.tsx'
