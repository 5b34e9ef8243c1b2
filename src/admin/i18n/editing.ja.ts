import auditAct from '#shared/i18n/ja/audit-act.json'
import role from '#shared/i18n/ja/role.json'
import accessRequests from './ja/access-requests.json'
import accountSecurity from './ja/account-security.json'
import appExports from './ja/app-exports.json'
import assets from './ja/assets.json'
import auditLog from './ja/audit-log.json'
import customTypes from './ja/custom-types.json'
import documents from './ja/documents.json'
import externalStorage from './ja/external-storage.json'
import fields from './ja/fields.json'
import forms from './ja/forms.json'
import groupRoles from './ja/group-roles.json'
import imageSettings from './ja/image-settings.json'
import installation from './ja/installation.json'
import invitations from './ja/invitations.json'
import jobs from './ja/jobs.json'
import members from './ja/members.json'
import modelCopies from './ja/model-copies.json'
import models from './ja/models.json'
import moves from './ja/moves.json'
import roles from './ja/roles.json'
import scim from './ja/scim.json'
import secondFactor from './ja/second-factor.json'
import security from './ja/security.json'
import settings from './ja/settings.json'
import siteRequests from './ja/site-requests.json'
import sso from './ja/sso.json'
import templates from './ja/templates.json'
import tokens from './ja/tokens.json'
import views from './ja/views.json'
import webhooks from './ja/webhooks.json'

/**
 * Texts that `loadEditingTexts` downloads, such as the texts of the pages for models, documents, assets, members and
 * settings.
 */
export const messages = {
  accessRequests,
  accountSecurity,
  appExports,
  assets,
  auditAct,
  auditLog,
  customTypes,
  documents,
  externalStorage,
  fields,
  forms,
  groupRoles,
  imageSettings,
  invitations,
  installation,
  jobs,
  members,
  modelCopies,
  models,
  moves,
  role,
  roles,
  scim,
  security,
  settings,
  siteRequests,
  sso,
  templates,
  tokens,
  secondFactor,
  views,
  webhooks,
}
