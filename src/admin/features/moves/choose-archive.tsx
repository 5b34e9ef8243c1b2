import { Button, FileButton } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { keepFile } from './kept-files.ts'
import { movesKey } from './moves.queries.ts'
import { acceptedFiles } from './send-archive.ts'

interface ChooseArchiveProps {
  p: string
  label: string
  /** The move whose app the file is for. */
  updates?: string
  /** Of several buttons that say the same, what each is for, for who cannot see what it stands by. */
  name?: string
}

/** Begins a move with a file of this device, whose page sends it. */
export function ChooseArchive({ p, label, updates, name }: ChooseArchiveProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const begin = useMutation({
    mutationFn: async (file: File) => {
      const data = {
        fileName: file.name.slice(0, 255),
        fileSize: file.size,
        ...(updates === undefined ? {} : { updates }),
      }
      const { move } = await api('POST /api/project/{p}/move', { params: { p }, body: { data } })
      keepFile(move._id, file)
      await queryClient.invalidateQueries({ queryKey: movesKey(p) })
      await navigate({ to: '/$p/-/moves/$move', params: { p, move: move._id } })
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
