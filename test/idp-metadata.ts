import * as samlify from 'samlify'

const bindings = 'urn:oasis:names:tc:SAML:2.0:bindings'

/** Returns the metadata of an identity provider, written by another library. `certificates`: PEM texts for signing. */
export const idpMetadata = ({
  entityId = 'https://idp.example.com/saml',
  signInUrl = 'https://idp.example.com/sign-in',
  certificates,
}: {
  entityId?: string
  signInUrl?: string
  certificates: string[]
}): string =>
  samlify
    .IdentityProvider({
      entityID: entityId,
      signingCert: certificates,
      singleLogoutService: [{ Binding: `${bindings}:HTTP-Redirect`, Location: `${signInUrl}/out` }],
      singleSignOnService: [
        { Binding: `${bindings}:HTTP-POST`, Location: `${signInUrl}/post` },
        { Binding: `${bindings}:HTTP-Redirect`, Location: signInUrl },
      ],
    })
    .getMetadata()
