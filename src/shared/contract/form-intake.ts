import { z } from 'zod'
import { formLimits } from '../forms/fields.ts'
import { endpoint } from './endpoint.ts'

const { values, name, textBytes, files, fileBytes, allFileBytes } = formLimits
const text = z.string().optional()

/** The endpoints that visitors of sites call, at the addresses of forms (delivery/site.ts). */
export const formIntakeEndpoints = {
  submitForm: endpoint('POST /api/forms/{p}/{formId}', {
    idempotent: { none: 'each call is one submission' },
    audit: { none: 'visitors are not members; the inbox of the form lists its submissions' },
    summary: 'Send a form',
    description:
      'Sent to the `url` of the form, in any encoding of HTML forms or as a JSON object, with any names. A repeated ' +
      'name is a list. The charset is the one of the media type or of the field `_charset_`, otherwise the one of UTF-8, EUC-JP ' +
      'and Shift_JIS in which all texts are valid. The ' +
      'submission is stored when the response arrives: 200, or 303 to a page of thanks if `Accept` prefers HTML. ' +
      '422 `SubmissionIsInvalid` lists the fields whose rules are broken in `issues`, and the label of the ' +
      'field and a sentence for each of them in `messages`. The `message` of each error is a sentence for the visitor. 403 `FormIsDisabled` if the form does not accept submissions, and `Forbidden` for a page ' +
      'of an origin that the form does not list.',
    permission: 'public',
    caller: 'visitor',
    cors: 'listed',
    rate: { address: 60 },
    headers: z.object({ accept: text, referer: text, origin: text }),
    body: { kind: 'anyForm', limits: { values, name, textBytes, files, fileBytes, allFileBytes } },
    response: { kind: 'message', type: 'application/json; charset=utf-8', statuses: [200, 303] },
  }),
  getFormThanks: endpoint('GET /api/forms/{p}/{formId}/thanks', {
    summary: 'Show the page after a form was sent',
    description:
      'In the language of `Accept-Language`. Forms with a page of their own redirect to that page instead.',
    permission: 'public',
    caller: 'visitor',
    rate: { address: 300 },
    headers: z.object({ referer: text }),
    response: { kind: 'message', type: 'text/html; charset=utf-8', statuses: [200] },
  }),
}
