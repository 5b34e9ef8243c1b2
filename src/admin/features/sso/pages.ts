/** The pages share one chunk: more chunks would increase the download of a first visit. */
export { ConnectedPage } from './connected-page.tsx'
export { SsoLoginPage } from './sso-login-page.tsx'
export { SsoVerifyPage } from './sso-verify-page.tsx'
