import { Button, FileButton } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { movesKey } from '../moves.queries.ts'
import { keepFile } from './kept-files.ts'
import { acceptedFiles } from './send-archive.ts'

interface ChooseArchiveProps {
  p: string
  label: string
  /** `_id` of the migration whose app the file updates. */
  updates?: string
  /** uid of the app that the file is imported into. */
  into?: string
  /** Accessible name of this button if several have the same label. */
  name?: string
}

/** Creates a migration for a file of this device. The migration's page uploads the file. */
export function ChooseArchive({ p, label, updates, into, name }: ChooseArchiveProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const begin = useMutation({
    mutationFn: async (file: File) => {
      const sent = { fileName: file.name.slice(0, 255), fileSize: file.size }
      const data = updates === undefined ? sent : { ...sent, updates }
      const { move } = await (into === undefined
        ? api('POST /api/project/{p}/move', { params: { p }, body: { data } })
        : api('POST /api/project/{p}/app/{a}/import:upload', {
            params: { p, a: into },
            body: { data: sent },
          }))
      keepFile(move._id, file)
      await queryClient.invalidateQueries({ queryKey: movesKey(p) })
      await (into === undefined
        ? navigate({ to: '/$p/-/moves/$move', params: { p, move: move._id } })
        : navigate({ to: '/$p/$a/-/import/$move', params: { p, a: into, move: move._id } }))
    },
    onError: (error) => toast.error(errorText(error)),
  })
  return (
    <FileButton accept={acceptedFiles} onChange={(file) => file && begin.mutate(file)}>
      {(props) => (
        <Button
          {...props}
          {...(name === undefined ? {} : { 'aria-label': name, variant: 'default' })}
          leftSection={<IconUpload size={16} />}
          loading={begin.isPending}
        >
          {label}
        </Button>
      )}
    </FileButton>
  )
}
