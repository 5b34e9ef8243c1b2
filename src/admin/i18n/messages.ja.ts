import account from './ja/account.json'
import apiKeys from './ja/api-keys.json'
import apps from './ja/apps.json'
import auth from './ja/auth.json'
import common from './ja/common.json'
import documents from './ja/documents.json'
import fields from './ja/fields.json'
import issue from './ja/issue.json'
import models from './ja/models.json'
import serverError from './ja/server-error.json'
import settings from './ja/settings.json'
import shell from './ja/shell.json'
import spaces from './ja/spaces.json'

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
