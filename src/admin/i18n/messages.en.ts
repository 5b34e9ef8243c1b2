import issue from '#shared/i18n/en/issue.json'
import serverError from '#shared/i18n/en/server-error.json'
import accounts from './en/accounts.json'
import apps from './en/apps.json'
import common from './en/common.json'
import shell from './en/shell.json'
import spaces from './en/spaces.json'

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
