/** The pages come together: each file more makes what a first visit downloads larger. */
export { ConnectedPage } from './connected-page.tsx'
export { SsoLoginPage } from './sso-login-page.tsx'
export { SsoVerifyPage } from './sso-verify-page.tsx'
