import auditAct from '#shared/i18n/en/audit-act.json'
import role from '#shared/i18n/en/role.json'
import accessRequests from './en/access-requests.json'
import accountSecurity from './en/account-security.json'
import appExports from './en/app-exports.json'
import assets from './en/assets.json'
import auditLog from './en/audit-log.json'
import customTypes from './en/custom-types.json'
import documents from './en/documents.json'
import externalStorage from './en/external-storage.json'
import fields from './en/fields.json'
import forms from './en/forms.json'
import groupRoles from './en/group-roles.json'
import imageSettings from './en/image-settings.json'
import installation from './en/installation.json'
import invitations from './en/invitations.json'
import jobs from './en/jobs.json'
import members from './en/members.json'
import modelCopies from './en/model-copies.json'
import models from './en/models.json'
import moves from './en/moves.json'
import roles from './en/roles.json'
import scim from './en/scim.json'
import secondFactor from './en/second-factor.json'
import security from './en/security.json'
import settings from './en/settings.json'
import siteRequests from './en/site-requests.json'
import sso from './en/sso.json'
import templates from './en/templates.json'
import tokens from './en/tokens.json'
import views from './en/views.json'
import webhooks from './en/webhooks.json'

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
