/** All SSO pages in one chunk, because every further file enlarges the download of the first visit. */
export { ConnectedPage } from './connected-page.tsx'
export { SsoLoginPage } from './sso-login-page.tsx'
export { SsoVerifyPage } from './sso-verify-page.tsx'
