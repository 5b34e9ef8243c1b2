import { useQueries, useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { appsQuery, modelsQuery } from '#admin/lib/queries.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'

const maxModels = 3
/** Maximum number of apps whose models are loaded. Models of further apps are shown by uid. */
const maxLoadedApps = 10

/** Returns the names of the apps and models of a webhook, with at most three models per app. */
export function useScope(p: string, { targets }: Pick<Webhook, 'targets'>): string {
  const t = useTranslations('webhooks')
  const format = useFormatter()
  const { data: apps = [] } = useQuery(appsQuery(p))
  const loaded = (targets ?? [])
    .filter(({ models }) => models !== null && models.length > 0)
    .slice(0, maxLoadedApps)
    .map(({ app }) => app)
  const answers = useQueries({ queries: loaded.map((app) => modelsQuery(p, app)) })
  if (targets === null) return t('about.allApps')
  return format.list(
    targets.map(({ app: uid, models }) => {
      const app = apps.find((one) => one.uid === uid)?.name || uid
      if (models === null) return app
      if (models.length === 0) return t('about.noModels', { app })
      const known = answers[loaded.indexOf(uid)]?.data ?? []
      const names = models
        .slice(0, maxModels)
        .map((model) => known.find((one) => one.uid === model)?.name || model)
      const more = models.length - maxModels
      return t('about.models', {
        app,
        models: format.list(more > 0 ? [...names, t('more', { count: more })] : names),
      })
    }),
  )
}
