import { expect, test } from 'vitest'
import en from '#admin/i18n/en/audit-log.json'
import ja from '#admin/i18n/ja/audit-log.json'
import { auditObjects, systemReasons } from '#shared/audit.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { endpoints } from '#shared/contract/index.ts'
import enActs from '#shared/i18n/en/audit-act.json'
import jaActs from '#shared/i18n/ja/audit-act.json'

const all: Endpoint[] = Object.values(endpoints)
const expectations = all.flatMap(({ audit }) => (audit && 'act' in audit ? [audit] : []))

test.each([
  ['ja', ja, jaActs],
  ['en', en, enActs],
])(
  'the actions and detail keys of every endpoint, all object kinds and reasons of the system have translations (%s)',
  (_language, words, actWords) => {
    const acts = actWords as Record<string, Record<string, string>>
    const others = [
      'member.joinSpace',
      'security.ssoRefuse',
      'job.run',
      'auditLog.release',
      'space.request',
      'document.publish',
    ]
    const missing = [...expectations.map(({ act }) => act), ...others].filter((act) => {
      const [kind = '', verb = ''] = act.split('.')
      return !acts[kind]?.[verb]
    })
    expect(missing).toEqual([])
    expect(auditObjects.filter((kind) => !(kind in words.kinds))).toEqual([])
    expect(systemReasons.filter((reason) => !(reason in words.systemReasons))).toEqual([])
    expect(expectations.flatMap(({ shows = [] }) => shows.filter((key) => !(key in words.keys)))).toEqual([])
  },
)
