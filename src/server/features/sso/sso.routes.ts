import { presentAccount } from '#server/access/account.ts'
import type { PublicContext } from '#server/access/context.ts'
import { admit } from '#server/http/browsers/admission.ts'
import type { Exchange } from '#server/http/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { ssoEndpoints } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import {
  answerOidc,
  answerSaml,
  beginSso,
  beginSsoTest,
  type CallbackResult,
  readMetadata,
} from './begin.service.ts'
import { checkDomain, confirmDomain } from './domains.service.ts'
import { type Finisher, finishSso, linkSso } from './finish.service.ts'
import { memberIdentities, ownIdentities, unlinkMember, unlinkOwn } from './identities.service.ts'
import { listRefusals } from './refusals.ts'
import * as sso from './sso.service.ts'
import { finishSsoTest } from './sso-test.service.ts'

const finisherOf = ({ browser, account, language }: Exchange): Finisher => ({ browser, account, language })

function requireId({ id }: { id: string }): string {
  if (!idPattern.test(id)) throw new AppError('NotFound')
  return id
}

/**
 * Returns the page to which the browser returns from the identity provider. The page `/sso/verify` finishes the sign-in
 * with the code after the `#`, and with a cookie that browsers send only from the installation's own pages.
 */
function locationOf({ services: { config, log } }: PublicContext, result: CallbackResult): string {
  if ('code' in result) return `${config.url}/sso/verify#${result.code}`
  const { error, popup, trial } = result
  log.warn({ err: error }, 'A sign-in by SSO was refused')
  if (!popup) return `${config.url}/sso/login?error=${error.code}`
  const test = trial === undefined ? '' : `&trial=${trial}`
  return `${config.url}/connected?success=false&error-code=${error.code}${test}`
}

export const ssoRoutes = implement(ssoEndpoints, {
  getSso: (ctx) => sso.getSso(ctx),
  readSsoMetadata: async ({ services }, { body }) => ({
    metadata: await sso.readMetadataOf(body, services),
  }),
  updateSso: async (ctx, { body }) => ({ sso: await sso.updateSso(ctx, body.data) }),
  deleteSso: async (ctx) => {
    await sso.deleteSso(ctx)
    return success
  },
  testSso: async (ctx, { query }) => ({ problem: await sso.testSso(ctx, query.kind) }),
  checkSsoDomain: (ctx, { body }) => checkDomain(ctx, body.domain),
  confirmSsoDomain: (ctx, { body }) => confirmDomain(ctx, body.domain),
  listSsoCertificates: async (ctx) => ({ certificates: await sso.listCertificates(ctx) }),
  addSsoCertificate: async (ctx, { body }) => ({
    certificates: await sso.addCertificate(ctx, body.certificate),
  }),
  deleteSsoCertificate: async (ctx, { params }) => ({
    certificates: await sso.deleteCertificate(ctx, params.fingerprint),
  }),
  getMemberIdentities: async (ctx, { params }) => ({ identities: await memberIdentities(ctx, params.id) }),
  unlinkMember: async (ctx, { params }) => {
    await unlinkMember(ctx, params.id)
    return success
  },
  listOwnIdentities: async (ctx, { params }) => ({ identities: await ownIdentities(ctx, params.id) }),
  unlinkOwnIdentity: async (ctx, { params }) => {
    await unlinkOwn(ctx, params.id, params.identity)
    return success
  },
  beginSso: async (ctx, { body }, { cookies }) => {
    const { url, browser } = await beginSso(ctx, body)
    cookies.set('sso', browser)
    return { url }
  },
  trySso: async (ctx, { query }, { cookies }) => {
    const { browser, ...begun } = await beginSsoTest(ctx, query.kind)
    cookies.set('sso', browser)
    return begun
  },
  listSsoRefusals: async (ctx) => ({ refusals: await listRefusals(ctx) }),
  finishSso: async (ctx, { body }, exchange) => {
    const tested = await finishSsoTest(ctx, body.code, finisherOf(exchange))
    if (tested) return { ...tested, user: null, link: null }
    const { space, popup, redirect, ...result } = await finishSso(ctx, body.code, finisherOf(exchange))
    const place = { space, popup, redirect }
    if ('link' in result) return { ...place, user: null, link: result.link, testResult: null }
    exchange.cookies.set('sso', null)
    return { ...place, user: presentAccount(admit(exchange, result.admission)), link: null, testResult: null }
  },
  answerOidc: async (ctx, { params }, { queryString }) => ({
    location: locationOf(ctx, await answerOidc(ctx, requireId(params), queryString)),
  }),
  answerSaml: async (ctx, { params, body: { SAMLResponse: response, RelayState: state } }) => ({
    location: locationOf(ctx, await answerSaml(ctx, requireId(params), { response, state })),
  }),
  getSamlMetadata: async (ctx, { params }) => {
    const metadata = await readMetadata(ctx, requireId(params))
    if (metadata === null) throw new AppError('NotFound')
    return metadata
  },
  linkSso: async (ctx, { body }, exchange) => {
    const { admission, ...place } = await linkSso(ctx, body.code, finisherOf(exchange))
    exchange.cookies.set('sso', null)
    return { ...place, user: presentAccount(admit(exchange, admission)) }
  },
})
