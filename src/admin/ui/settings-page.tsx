import { IconLock } from '@tabler/icons-react'
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { EmptyState, ErrorState, SkeletonList } from './states.tsx'

export interface SettingsPageProps<Data, Key extends QueryKey> {
  title: string
  text?: ReactNode
  /** Message for users who may not use the page; omitted or false for others. */
  forbidden?: { title: string; text: string } | false
  query: UseQueryOptions<Data, Error, Data, Key>
  children: (data: Data) => ReactNode
}

/** A settings page in one of four states: forbidden, loading, failed or loaded. */
export function SettingsPage<Data, Key extends QueryKey>({
  title,
  text,
  forbidden,
  ...shown
}: SettingsPageProps<Data, Key>) {
  return (
    <Page title={title} description={text} width="narrow">
      {forbidden ? (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={forbidden.title}
          text={forbidden.text}
        />
      ) : (
        <Loaded {...shown} />
      )}
    </Page>
  )
}

function Loaded<Data, Key extends QueryKey>({
  query,
  children,
}: Pick<SettingsPageProps<Data, Key>, 'query' | 'children'>) {
  const { data, error, refetch } = useQuery(query)
  if (data !== undefined) return children(data)
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
}
