import issue from '#shared/i18n/ja/issue.json'
import serverError from '#shared/i18n/ja/server-error.json'
import accounts from './ja/accounts.json'
import apps from './ja/apps.json'
import common from './ja/common.json'
import shell from './ja/shell.json'
import spaces from './ja/spaces.json'

/** Texts that every visit downloads. */
export const messages = {
  accounts,
  apps,
  common,
  issue,
  'server-error': serverError,
  shell,
  spaces,
}
