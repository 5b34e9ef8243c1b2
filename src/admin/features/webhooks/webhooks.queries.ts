import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { webhooksKey, webhooksQuery } from '#admin/lib/queries.ts'
import {
  deliveryStates,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  webhookEvents,
} from '#shared/contract/webhooks.ts'

/** Polling intervals in milliseconds: while requests are waiting, and otherwise (`idleEvery`), to show new requests. */
const lookEvery = 3_000
const idleEvery = 15_000

/** The webhooks of a space. Polled while requests are waiting. */
export const polledWebhooksQuery = (p: string) =>
  queryOptions({
    ...webhooksQuery(p),
    refetchInterval: ({ state: { data } }) => (data?.some(isPending) ? lookEvery : false),
  })

export const webhookQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(p), 'one', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/webhook/{id}', { params: { p, id }, signal })).webhook,
    refetchInterval: ({ state: { data } }) => (data && isPending(data) ? lookEvery : idleEvery),
  })

/** Returns whether requests of an enabled webhook are waiting. */
const isPending = ({ waiting, enabled }: Webhook) => waiting > 0 && enabled

/** The filters of a log in the URL. */
export interface LogSearch {
  state?: WebhookDelivery['state']
  event?: WebhookEvent | 'test'
}

/** Reads filters from a URL. Invalid filters are omitted. */
export function readLogSearch({ state, event }: Record<string, unknown>): LogSearch {
  const knownState = deliveryStates.find((one) => one === state)
  const knownEvent = [...webhookEvents, 'test' as const].find((one) => one === event)
  return { ...(knownState && { state: knownState }), ...(knownEvent && { event: knownEvent }) }
}

/**
 * Loads the log of a webhook, newest first, page by page. It is polled, more often while one of the loaded requests is
 * waiting.
 */
export const deliveriesQuery = (p: string, id: string, search: LogSearch) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(p), 'log', id, search],
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/project/{p}/webhook/{id}/delivery', {
        params: { p, id },
        query: { ...search, limit: 30, ...(pageParam && { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ deliveries, isMore }) => (isMore ? deliveries.at(-1)?._id : undefined),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.deliveries.some(({ state }) => state === 'waiting'))
        ? lookEvery
        : idleEvery,
  })

/** Loads one request with its body and attempts. It is polled while the request is waiting. */
export const deliveryQuery = (p: string, id: string, d: string) =>
  queryOptions({
    queryKey: [...webhooksKey(p), 'delivery', id, d],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/webhook/{id}/delivery/{d}', { params: { p, id, d }, signal }))
        .delivery,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.state === 'waiting' ? lookEvery : false),
  })

/** Caches a webhook as the server has returned it, and reloads the lists and logs. */
export async function keepWebhook(client: QueryClient, p: string, webhook: Webhook): Promise<void> {
  const { queryKey } = webhookQuery(p, webhook._id)
  client.setQueryData(queryKey, webhook)
  await client.invalidateQueries({
    queryKey: webhooksKey(p),
    predicate: (query) => query.queryKey.join() !== queryKey.join(),
  })
}

/** Reloads the list after a webhook was deleted. */
export async function forgetWebhook(client: QueryClient, p: string): Promise<void> {
  await client.invalidateQueries({ queryKey: webhooksQuery(p).queryKey })
}
