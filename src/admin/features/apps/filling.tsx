import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { appQuery, appsQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { JobFailure } from '#admin/ui/job-failure.tsx'
import { JobProgress } from '#admin/ui/job-progress.tsx'
import { Section } from '#admin/ui/section.tsx'

/** Polling interval for the job, in milliseconds. */
const lookEvery = 800

/** Shows the progress of copying contents to an app created from a template or as a duplicate. */
export function Filling({ p, a, job: id }: { p: string; a: string; job: string }) {
  const t = useTranslations('templates.filling')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { data: job } = useQuery({
    queryKey: ['space', p, 'filling', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/job', { params: { p }, query: { id }, signal })).jobs[0] ?? null,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? lookEvery : false),
  })
  const done = job === null || job?.state === 'done'
  useEffect(() => {
    if (!done) return
    const shown = [appQuery(p, a), appsQuery(p), modelsQuery(p, a)]
    void Promise.all(shown.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey }))).then(() => {
      toast.success(t('done'))
      return navigate({ to: '/$p/$a', params: { p, a }, search: {}, replace: true })
    })
  }, [done, p, a, queryClient, navigate, t])

  if (done) return null
  if (job && !isUnderWay(job))
    return (
      <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t('failed')} mb="lg">
        {job.error && <JobFailure error={job.error} />}
        <Anchor component={Link} to={`/${p}/-/jobs`}>
          {t('jobs')}
        </Anchor>
      </Alert>
    )
  const shown = job ?? { progress: null, secondsLeft: null, cancelRequested: false }
  return (
    <Section title={t('title')} description={t('text')}>
      <JobProgress job={shown} label={t('title')} />
    </Section>
  )
}

const isUnderWay = (job: { state: string } | null) => job?.state === 'waiting' || job?.state === 'running'
