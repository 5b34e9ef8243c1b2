import issue from '#shared/i18n/ja/issue.json'
import serverError from '#shared/i18n/ja/server-error.json'
import account from './ja/account.json'
import apiKeys from './ja/api-keys.json'
import apps from './ja/apps.json'
import auth from './ja/auth.json'
import common from './ja/common.json'
import settings from './ja/settings.json'
import shell from './ja/shell.json'
import spaces from './ja/spaces.json'

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
