import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { formsKey, formsQuery } from '#admin/lib/queries.ts'
import type { Form } from '#shared/contract/forms.ts'

export const formQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...formsKey(p), 'one', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/form/{id}', { params: { p, id }, signal })).form,
  })

/** The forms in the trash, by name. */
export const deletedFormsQuery = (p: string) =>
  queryOptions({
    queryKey: [...formsKey(p), 'trash'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/form', { params: { p }, query: { trash: 'true' }, signal })).forms,
  })

/** Caches a form as the server has returned it, and reloads the lists. */
export async function keepForm(client: QueryClient, p: string, form: Form): Promise<void> {
  client.setQueryData(formQuery(p, form._id).queryKey, form)
  await reloadForms(client, p)
}

/** Reloads the lists of forms, which contain the numbers of new submissions. */
export async function reloadForms(client: QueryClient, p: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: formsQuery(p).queryKey }),
    client.invalidateQueries({ queryKey: deletedFormsQuery(p).queryKey }),
  ])
}
