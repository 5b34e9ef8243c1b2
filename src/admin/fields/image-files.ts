/** Has somebody pasted or dropped pictures as files, and nothing else that could be taken? */
export function bringsImageFiles(data: DataTransfer | null): boolean {
  const files = [...(data?.files ?? [])]
  return files.some((file) => file.type.startsWith('image/')) && !data?.types.includes('text/html')
}
