import issue from '#shared/i18n/en/issue.json'
import serverError from '#shared/i18n/en/server-error.json'
import account from './en/account.json'
import apiKeys from './en/api-keys.json'
import apps from './en/apps.json'
import auth from './en/auth.json'
import common from './en/common.json'
import settings from './en/settings.json'
import shell from './en/shell.json'
import spaces from './en/spaces.json'

/** What every visit downloads. */
export const messages = {
  account,
  apiKeys,
  apps,
  auth,
  common,
  issue,
  'server-error': serverError,
  settings,
  shell,
  spaces,
}
