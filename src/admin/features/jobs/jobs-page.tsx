import { Button, SegmentedControl, Text } from '@mantine/core'
import { IconClockPlay } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { JobState } from '#shared/contract/jobs.ts'
import { JobItem } from './job-item.tsx'
import classes from './jobs.module.css'
import { installationJobs, type JobSource, jobsQuery, spaceJobs } from './jobs.queries.ts'

const filters = ['running', 'waiting', 'stopped', 'failed', 'cancelled'] as const satisfies JobState[]

/** `/admin/jobs`: background jobs, for the installation's admins. */
export function JobsPage() {
  return <Jobs source={installationJobs} />
}

/** `/{p}/-/jobs`: background jobs of a space, for its members. */
export function SpaceJobsPage() {
  const { p } = spaceRoute.useParams()
  return <Jobs source={spaceJobs(p)} />
}

/** A list of jobs with their states, newest first. */
export function Jobs({ source }: { source: JobSource }) {
  const t = useTranslations('jobs')
  const [state, setState] = useState<JobState | null>(null)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    jobsQuery(source, state),
  )
  const counts = data?.pages[0]?.counts
  const isEmpty = counts && Object.values(counts).every((count) => count === 0)
  // A job added between two page requests shifts the others, so the last job of a page may recur on the next page.
  const jobs = new Map(data?.pages.flatMap((page) => page.jobs).map((job) => [job._id, job]))
  return (
    <Page title={t('title')} description={t('text')}>
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {data && <LoadProblem error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList rows={4} height={72} />}
      {isEmpty && (
        <EmptyState
          icon={<IconClockPlay size={36} stroke={1.4} aria-hidden="true" />}
          title={t('empty.title')}
          text={t('empty.text')}
        />
      )}
      {counts && !isEmpty && (
        <>
          <div className={classes.filter}>
            <SegmentedControl
              aria-label={t('filter')}
              value={state ?? 'all'}
              onChange={(next) => setState(next === 'all' ? null : (next as JobState))}
              data={[
                { value: 'all', label: t('all') },
                ...filters.map((value) => ({
                  value,
                  label:
                    counts[value] > 0 ? `${t(`filters.${value}`)} ${counts[value]}` : t(`filters.${value}`),
                })),
              ]}
            />
          </div>
          {jobs.size === 0 && (
            <Text c="dimmed" size="sm">
              {t('emptyState')}
            </Text>
          )}
          <ul className={classes.list} aria-label={t('title')}>
            {[...jobs.values()].map((job) => (
              <JobItem key={job._id} job={job} source={source} />
            ))}
          </ul>
          {hasNextPage && (
            <Button
              variant="default"
              mt="md"
              loading={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {t('more')}
            </Button>
          )}
        </>
      )}
    </Page>
  )
}
