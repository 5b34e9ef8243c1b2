import account from './en/account.json'
import apiKeys from './en/api-keys.json'
import apps from './en/apps.json'
import auth from './en/auth.json'
import common from './en/common.json'
import documents from './en/documents.json'
import fields from './en/fields.json'
import issue from './en/issue.json'
import models from './en/models.json'
import serverError from './en/server-error.json'
import settings from './en/settings.json'
import shell from './en/shell.json'
import spaces from './en/spaces.json'

export const messages = {
  account,
  apiKeys,
  apps,
  auth,
  common,
  documents,
  fields,
  issue,
  models,
  'server-error': serverError,
  settings,
  shell,
  spaces,
}
