import { useQueries, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { appsQuery, modelsQuery } from '#admin/lib/queries.ts'
import { placeholderNames, placeholders } from './placeholders.ts'
import type { Suggestion } from './template-input.tsx'
import type { Values } from './values.ts'

/** Maximum number of apps whose fields are suggested. The models of each of these apps have to be loaded. */
const mostApps = 10

/** Returns the placeholders for a body, including the fields of the webhook's models in up to `mostApps` apps. */
export function useSuggestions(p: string, { scope, targets }: Values): Suggestion[] {
  const t = useTranslations('webhooks.form.body')
  const apps = useQuery(appsQuery(p)).data ?? []
  const chosen =
    scope === 'chosen'
      ? targets
      : apps.filter(({ joined }) => joined).map(({ uid }) => ({ app: uid, models: null }))
  const loaded = useQueries({ queries: chosen.slice(0, mostApps).map(({ app }) => modelsQuery(p, app)) })
  const names = new Map<string, string>()
  for (const [index, { data: models = [] }] of loaded.entries()) {
    const wanted = chosen[index]?.models
    for (const model of models.filter(({ uid }) => !wanted || wanted.includes(uid)))
      for (const field of model.fields) if (!names.has(field.uid)) names.set(field.uid, field.name)
  }
  const fields = [...names]
  return [
    ...placeholderNames.map((name) => ({ name, text: t(`placeholder.${placeholders[name]}`) })),
    ...fields.map(([uid, name]) => ({ name: `document.${uid}`, text: t('after', { name }) })),
    ...fields.map(([uid, name]) => ({ name: `before.${uid}`, text: t('before', { name }) })),
  ]
}
