import { presentAccount } from '#server/access/account.ts'
import { admit } from '#server/http/admission.ts'
import type { Exchange, SignedInExchange } from '#server/http/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { ssoEndpoints } from '#shared/contract/sso.ts'
import { beginSso } from './begin.service.ts'
import { type Finisher, finishSso, linkSso } from './finish.service.ts'
import * as sso from './sso.service.ts'

const environmentOf = ({ config, secrets, account }: SignedInExchange): sso.Environment => ({
  config,
  secrets,
  confirmedEmail: account.emailVerified ? account.email : null,
  isInstallationAdmin: account.isAdmin,
})
const finisherOf = (exchange: Exchange): Finisher => ({ ...exchange, browser: exchange.ssoCookie })

export const ssoRoutes = implement(ssoEndpoints, {
  getSso: async (ctx, _input, { config }) => ({ sso: await sso.getSso(ctx, config) }),
  updateSso: async (ctx, { body }, exchange) => ({
    sso: await sso.updateSso(ctx, body.data, environmentOf(exchange)),
  }),
  deleteSso: async (ctx) => {
    await sso.deleteSso(ctx)
    return success
  },
  testSso: async (ctx, _input, exchange) => ({ problem: await sso.testSso(ctx, exchange) }),
  listSsoCertificates: async (ctx) => ({ certificates: await sso.listCertificates(ctx) }),
  addSsoCertificate: async (ctx, { body }) => ({
    certificates: await sso.addCertificate(ctx, body.certificate),
  }),
  beginSso: async ({ db }, { body }, { config, secrets, outgoing, ip, setSsoCookie }) => {
    const { url, browser } = await beginSso({ db, config, secrets, outgoing }, body, ip)
    setSsoCookie(browser)
    return { url }
  },
  finishSso: async (ctx, { body }, exchange) => {
    const { space, popup, redirect, ...result } = await finishSso(ctx, body.code, finisherOf(exchange))
    const place = { space, popup, redirect }
    if ('link' in result) return { ...place, user: null, link: result.link }
    exchange.setSsoCookie(null)
    return { ...place, user: presentAccount(admit(exchange, result.admission)), link: null }
  },
  linkSso: async (ctx, { body }, exchange) => {
    const { admission, ...place } = await linkSso(ctx, body.code, finisherOf(exchange))
    exchange.setSsoCookie(null)
    return { ...place, user: presentAccount(admit(exchange, admission)) }
  },
})
