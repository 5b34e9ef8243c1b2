/** The pages share one chunk, because every first visit downloads a list of the chunks of all pages. */
export { ConnectedPage } from './connected-page.tsx'
export { SsoLoginPage } from './sso-login-page.tsx'
export { SsoVerifyPage } from './sso-verify-page.tsx'
