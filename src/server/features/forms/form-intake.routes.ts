import { implement } from '#server/http/endpoints.ts'
import type { PresentError } from '#server/http/http-operation.ts'
import { success } from '#shared/contract/common.ts'
import { formIntakeEndpoints } from '#shared/contract/form-intake.ts'
import { preferredLanguage } from '#shared/languages.ts'
import {
  errorPage,
  errorSentence,
  labelOf,
  linkTo,
  pageHeaders,
  prefersHtml,
  sentenceOf,
  thanksPage,
} from './intake/pages.ts'
import { InvalidSubmission, listOriginsOf, requireForm, submitForm } from './intake/submit.service.ts'

const keyOf = ({ p = '', formId = '' }: { p?: string; formId?: string }) => ({ space: p, form: formId })

/** Presents errors as a page for browsers that send a form without a script, and as sentences for scripts. */
const presentError: PresentError = (error, known, { accept, referer, 'accept-language': languages }) => {
  const language = preferredLanguage(languages?.split(','))
  const fields = error instanceof InvalidSubmission ? error.fields : []
  if (prefersHtml(accept))
    return {
      status: known.status,
      headers: { ...pageHeaders, ...known.headers },
      type: 'text/html; charset=utf-8',
      body: errorPage(known, fields, language, linkTo(referer)),
    }
  const { code, issues = [] } = known
  const messages = issues.map((issue) => ({
    name: issue.path,
    label: labelOf(issue, fields, language),
    message: sentenceOf(issue, fields, language),
  }))
  const body = { code, message: errorSentence(code, language), issues, messages }
  return { status: known.status, headers: known.headers ?? {}, type: 'application/json; charset=utf-8', body }
}

export const formIntakeRoutes = implement(
  formIntakeEndpoints,
  {
    submitForm: {
      origins: (server, params) => listOriginsOf(server, keyOf(params)),
      async handle(ctx, { params, headers, body }, { language, signal }) {
        const { accept, referer, origin } = headers
        const form = await submitForm(ctx, keyOf(params), body, { language, referer, origin, signal })
        const vary = 'Accept, Origin'
        if (!prefersHtml(accept)) return { status: 200, headers: { vary }, body: success }
        // A relative address is right for every host and prefix of the form.
        const location = form.thanksUrl ?? `${params.formId}/thanks`
        return { status: 303, headers: { vary, location } }
      },
    },
    async getFormThanks(ctx, { params, headers }, { language }) {
      const { thanksMessage } = await requireForm(ctx, keyOf(params))
      return {
        status: 200,
        headers: pageHeaders,
        body: thanksPage(thanksMessage, language, linkTo(headers.referer)),
      }
    },
  },
  { presentError },
)
