import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { formSubmissionEndpoints } from '#shared/contract/form-submissions.ts'
import { formEndpoints } from '#shared/contract/forms.ts'
import * as definition from './definition/definition.service.ts'
import * as exports from './inbox/export.service.ts'
import * as inbox from './inbox/inbox.service.ts'
import * as mail from './mail/mail.service.ts'

export const formRoutes = implement(formEndpoints, {
  listForms: async (ctx, { query }) => ({ forms: await definition.listForms(ctx, query) }),
  getForm: async (ctx, { params }) => ({ form: await definition.getForm(ctx, params.id) }),
  createForm: async (ctx, { body }) => ({ form: await definition.createForm(ctx, body.data) }),
  updateForm: async (ctx, { params, body }) => ({
    form: await definition.updateForm(ctx, params.id, body.data),
  }),
  deleteForm: async (ctx, { params }) => {
    await definition.deleteForm(ctx, params.id)
    return success
  },
  restoreForm: async (ctx, { params }) => ({ form: await definition.restoreForm(ctx, params.id) }),
  previewFormMail: (ctx, { params, body }) => mail.previewMail(ctx, params.id, body.data),
  testFormMail: async (ctx, { params, body }) => ({
    to: await mail.sendTestMail(ctx, params.id, body.data),
  }),
})

export const formSubmissionRoutes = implement(formSubmissionEndpoints, {
  listSubmissions: (ctx, { params, query }) => inbox.listSubmissions(ctx, params.id, query),
  getSubmission: async (ctx, { params }) => ({
    submission: await inbox.getSubmission(ctx, params.id, params.s),
  }),
  updateSubmission: async (ctx, { params, body }) => ({
    submission: await inbox.updateSubmission(ctx, params.id, params.s, body.data.state),
  }),
  bulkUpdateSubmissions: async (ctx, { params, body }) => ({
    results: await inbox.updateSubmissions(ctx, params.id, body.ids, body.data.state),
  }),
  bulkDeleteSubmissions: async (ctx, { params, body }) => ({
    results: await inbox.setSubmissionsTrashed(ctx, params.id, body.ids, true),
  }),
  bulkRestoreSubmissions: async (ctx, { params, body }) => ({
    results: await inbox.setSubmissionsTrashed(ctx, params.id, body.ids, false),
  }),
  exportSubmissions: (ctx, { params, query }, { signal, language }) =>
    exports.exportSubmissions(ctx, params.id, query, { signal, language }),
  getSubmissionFile: (ctx, { params }) => inbox.getSubmissionFile(ctx, params.id, params.s, params.f),
})
